"""The recorded execution: its steps, threads and finding in the words of the report (src/report/json/json_steps.c)."""
import json
from collections import namedtuple

# way: the step is the choice of a way of the step before, and has no point of its own
Step = namedtuple("Step", "number tid way phrase at object place size place2")


class Steps:
    def __init__(self, text):
        data = json.loads(text)
        self.finding, self.why = data["finding"], data["why"] or ""
        self.threads = {t["id"]: t for t in data["threads"]}
        self.all = [Step(i + 1, *words) for i, words in enumerate(data["steps"])]

    def count(self):
        return len(self.all)

    def count_to_fault(self):
        """The steps before the fault: the operation by which a thread fails comes after it."""
        return len(self.all) - (bool(self.all) and self.all[-1].phrase == "fail")

    def get(self, number):
        return self.all[number - 1]

    def thread(self, tid):
        return self.threads[tid]["name"] if tid in self.threads else "T%d" % tid

    def line(self, number):
        """Step 12 as "T1 lock m at bank.c:20"."""
        step = self.get(number)
        return "T%d  %s%s" % (step.tid, step.phrase, "  at " + step.at if step.at else "")

    def operation(self, number):
        """The step at whose point the runtime can stop: for the choice of a way, the operation before it."""
        while number > 1 and self.get(number).way:
            number -= 1
        return number

    def after(self, number):
        """The next operation after this step; None: it is the last one."""
        return next((s.number for s in self.all[number:] if not s.way), None)

    def before(self, number, distance):
        """The operation that lies `distance` operations before step `number`; None: there are not that many."""
        found = number
        for _ in range(distance):
            if found <= 1:
                return None
            found = self.operation(found - 1)
        return found

    def next_switch(self, number):
        """The first step after `number` that another thread takes than the one before it; None: there is none."""
        for step in self.all[max(number, 1):]:
            if step.tid != self.get(step.number - 1).tid:
                return step.number
        return None

    def next_of(self, tid, number):
        """The thread's first step from `number` on; None: there is none."""
        return next((s for s in self.all[number - 1:] if s.tid == tid and not s.way), None)

    def finding_words(self):
        kind, message = self.finding["kind"], self.finding["message"]
        return kind + (": " + message if message and message != kind else "")
