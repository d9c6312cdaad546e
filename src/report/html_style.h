/*
 * html_style.h - the style sheet of the HTML page, for light and dark screens. Threads have eight colours in turn.
 */
#ifndef RD_REPORT_HTML_STYLE_H
#define RD_REPORT_HTML_STYLE_H

static const char rd_html_style[] =
    "\n:root{--bg:#fff;--fg:#1d2129;--dim:#687078;--rule:#e4e7eb;--soft:#f5f6f8;--bad:#c4262e;--badbg:#fdecec;"
    "--c0:#0b7285;--c1:#9c5b00;--c2:#8a2f8f;--c3:#2b7a2b;--c4:#2455b8;--c5:#a3304f;--c6:#5c6a00;--c7:#5b45b0}\n"
    "@media(prefers-color-scheme:dark){:root{--bg:#16181d;--fg:#e3e6ea;--dim:#98a1ab;--rule:#2c313a;--soft:#1e2229;"
    "--bad:#ff7b7b;--badbg:#3a1f22;--c0:#59c8dd;--c1:#e8b04f;--c2:#d98bde;--c3:#7ccf7c;--c4:#86b0ff;--c5:#f08ba6;"
    "--c6:#c3d154;--c7:#b3a2ff}}\n"
    "body{font:15px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:1400px;margin:2rem "
    "auto;"
    "padding:0 1.2rem}\n"
    "header{border-left:5px solid var(--bad);padding-left:1rem}\n"
    "h1{font-size:1.5rem;margin:0;color:var(--bad)}h2{font-size:1.1rem;margin:2rem 0 .5rem}p{margin:.3rem 0}\n"
    "ul{margin:.5rem 0;padding-left:1.2rem}.message{font-weight:600}\n"
    "pre,td,li,.message{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;font-size:13px}\n"
    "pre{background:var(--soft);padding:.8rem 1rem;border-radius:6px;overflow-x:auto}\n"
    ".source "
    "i{display:inline-block;width:4ch;margin-right:2ch;text-align:right;color:var(--dim);font-style:normal}\n"
    ".source .here{background:var(--badbg);font-weight:600;display:inline-block;min-width:100%}\n"
    ".scroll{overflow-x:auto}table{border-collapse:collapse;width:100%}\n"
    "th{position:sticky;top:0;background:var(--bg);text-align:left;font-size:13px;border-bottom:2px solid "
    "var(--rule)}\n"
    "th,td{padding:2px 10px;white-space:nowrap}tbody tr:hover{background:var(--soft)}\n"
    "tr.switch td,tr.preemption td{border-top:1px solid var(--rule)}\n"
    "td.n{color:var(--dim);text-align:right}.m{font-weight:700}tr.preemption .m{color:var(--bad)}\n"
    "td.at,td.code,.library{color:var(--dim)}tr.bad "
    "td{background:var(--badbg)}td.bad{color:var(--bad)!important;font-weight:600}\n"
    "tr.gap td{color:var(--dim);font-style:italic;padding:8px 10px}\n"
    "details{margin:.3rem 0}summary{cursor:pointer}ol{margin:.2rem 0 .6rem}\n"
    ".t0{color:var(--c0)}.t1{color:var(--c1)}.t2{color:var(--c2)}.t3{color:var(--c3)}"
    ".t4{color:var(--c4)}.t5{color:var(--c5)}.t6{color:var(--c6)}.t7{color:var(--c7)}\n";

#endif
