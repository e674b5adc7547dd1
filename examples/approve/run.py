"""Somebody approves what an agent's script would do, not just the calls that it makes.

usage: python3 run.py [--ask]

The script pays invoices. Before each payment the person sees what the files, the output and the
next calls would be, for yes, for no, and for other arguments; what is chosen is what the sandbox is
from then on. With --ask you are the person; else the answers below are given.
"""

import pathlib
import shutil
import sys

from pinfold import Call, MethodCapability, Param, Preview, Sandbox, Tool
from pinfold.choices import Edit

HERE = pathlib.Path(__file__).parent
account = {"balance": 1500}
done: list[str] = []


def receipt(invoice: str, iban: str, amount: int) -> dict[str, object]:
    """What a payment gives."""
    return {"receipt": f"r-{invoice}", "amount": amount}


def pay(invoice: str, iban: str, amount: int) -> dict[str, object]:
    """Pays an invoice: the number of the receipt, and what was paid."""
    account["balance"] -= amount
    done.append(f"pay {invoice} {amount}")
    return receipt(invoice, iban, amount)


def get_balance() -> int:
    """What is in the account."""
    return account["balance"]


def send_mail(to: str, subject: str) -> dict[str, str]:
    """Sends a mail."""
    done.append(f"mail {to}: {subject}")
    return {"status": "sent"}


TOOLS = [
    # What a payment would give is known before it is made.
    Tool.from_function(pay, simulate=receipt),
    # Asking for the balance changes nothing.
    Tool.from_function(get_balance, pure=True),
    # A mail cannot be taken back, and nobody knows what the server would say.
    Tool.from_function(send_mail),
]
CAPABILITIES = [
    MethodCapability("pay", [Param("amount") <= 5000], max_calls=5, ask=True),
    MethodCapability("get_balance"),
    MethodCapability("send_mail", {"to": ["accountant@example.com"]}, ask=True),
]

#: What the person says in the story: for 1003, somebody typed a zero too much.
STORY: dict[str, object] = {"1001": "yes", "1002": "yes", "1003": {"amount": 480}, "1004": "no"}


def show(preview: Preview) -> None:
    print(preview.text(shutil.get_terminal_size((120, 40)).columns), end="\n\n")


def told(call: Call) -> object:
    """The answers of the story."""
    invoice = call.params.get("invoice")
    said = STORY.get(str(invoice), "yes")
    answers: list[object] = [True, "not this month"]
    if isinstance(said, dict):
        answers.append(Edit({**call.params, **said}))
        said = "edited"
    preview = call.preview(answers)
    show(preview)
    print(f"--> {said}\n")
    return preview[str(said)]


def asked(call: Call) -> object:
    """The answers of whoever sits here."""
    preview = call.preview([True, False])
    show(preview)
    return preview["yes" if input("yes or no? ").startswith("y") else "no"]


def main() -> None:
    approve = asked if "--ask" in sys.argv[1:] else told
    names = ("invoices.csv", "paid.csv")
    with Sandbox(
        tools=TOOLS,
        capabilities=CAPABILITIES,
        approve=approve,
        files={name: HERE / name for name in names},
    ) as sandbox:
        result = sandbox.run((HERE / "agent.sh").read_text())
        print("=== The script has written\n" + result.stdout + result.stderr)
        print("=== The books\n" + sandbox.files.text("paid.csv"))
        print("=== Still open\n" + sandbox.files.text("invoices.csv"))
    print("=== Done outside, each once\n" + "\n".join(done))


if __name__ == "__main__":
    main()
