"""The cost of an operation, from the length of one long execution: with and without a switch at each."""
import json
import subprocess
import sys

raddle, program = sys.argv[1:3]
ROUNDS = 100000


def nanoseconds(threads, strategy):
    best = float("inf")
    for _ in range(3):
        out = subprocess.run([raddle, "run", "-s", strategy, "-n", "1", "--max-steps", "5000000", "--json", "-", program,
                              str(threads), str(ROUNDS)], capture_output=True, text=True, check=True).stdout
        s = json.loads(out)
        # the first execution is run twice, to see that it is deterministic: both are in the time, one in the steps
        best = min(best, s["elapsed_s"] / (2 * s["steps"]) * 1e9)
    return best


print(f"point, one thread                  {nanoseconds(1, 'dfs'):6.1f} ns")
print(f"point, two threads, no switch      {nanoseconds(2, 'dfs'):6.1f} ns")
print(f"point, two threads, random         {nanoseconds(2, 'random'):6.1f} ns")
