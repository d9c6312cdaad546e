"""mkdocs' Markdown makes spaces of tabs, also in a Makefile that is to be copied from the page. So stage.py writes another
character for them, and mkdocs calls this to put the tabs back."""
TAB = "\ue009"  # of a private area: no page has it


def on_page_content(html, **_):
    return html.replace(TAB, "\t")
