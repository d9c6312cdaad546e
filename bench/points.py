"""The cost of an operation, from the time of one long execution: with and without a switch at each operation; and the
cost of a read where the rule for loops that wait compares the stack."""
import json
import subprocess
import sys

raddle, program, reads = sys.argv[1:4]
ROUNDS = 100000


def nanoseconds(strategy, *command):
    best = float("inf")
    for _ in range(3):
        out = subprocess.run([raddle, "run", "-s", strategy, "-n", "1", "--max-steps", "5000000", "--json", "-",
                              "--detect", "none", *command, str(ROUNDS)], capture_output=True, text=True, check=True).stdout
        s = json.loads(out)
        # the first execution is run twice, to check that it is deterministic: both count in the time, one in the steps
        best = min(best, s["elapsed_s"] / (2 * s["steps"]) * 1e9)
    return best


print(f"point, one thread                  {nanoseconds('dfs', program, '1'):6.1f} ns")
print(f"point, two threads, no switch      {nanoseconds('dfs', program, '2'):6.1f} ns")
print(f"point, two threads, random         {nanoseconds('random', program, '2'):6.1f} ns")
print(f"read, little on the stack          {nanoseconds('dfs', reads, 'flat'):6.1f} ns")
print(f"read, much on the stack            {nanoseconds('dfs', reads, 'deep'):6.1f} ns")
