"""What the programs have in common that run a vendor's own client against trilith: each call is run, what it answers is
looked at, and the number of calls that pass is printed. Calls that must be refused are counted apart."""

import re
import sys
import traceback


class Checks:
    def __init__(self, client: str):
        self.client, self.passed, self.run, self.refusals, self.refuse = client, 0, 0, 0, 0

    def call(self, name, do, holds=lambda answer: True):
        """Runs one call and returns its answer; None if it failed."""
        self.run += 1
        answer, passed = self.tried(name, do, holds)
        self.passed += passed
        return answer

    def tried(self, name, do, holds=lambda answer: True):
        try:
            answer = do()
            if not holds(answer):
                raise AssertionError(f"answered {answer!r:.400}")
        except Exception as e:  # whatever the client raises
            at = traceback.extract_tb(e.__traceback__)[-1]
            print(f"FAIL {self.client} {name}: {type(e).__name__}: {e!s:.400} ({at.name}:{at.lineno})")
            return None, False
        return answer, True

    def refused(self, name, do, why):
        """Runs one call that must be refused with words that match a pattern."""
        def run():
            try:
                answer = do()
            except Exception as e:
                text = f"{type(e).__name__} {e} {getattr(e, 'body', '')}"
                if re.search(why, text):
                    return True
                raise
            raise AssertionError(f"was not refused, but answered {answer!r:.200}")
        self.refuse += 1
        self.refusals += self.tried(name, run)[1]

    def end(self):
        print(f"{self.client}: {self.passed} of {self.run} calls pass, {self.refusals} of {self.refuse} refusals")
        sys.exit((self.passed, self.refusals) != (self.run, self.refuse))
