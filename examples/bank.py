# Debug: settle(30)
# Money comes from nowhere. Watch the balances when `pay` returns.


class Account:
    def __init__(self, owner, balance):
        self.owner = owner
        self.balance = balance
        self.log = []

    def pay(self, other, amount):
        if amount > self.balance:
            return False
        other.balance += amount
        self.log.append(amount)
        return True


def settle(amount):
    ann = Account('ann', 50)
    bob = Account('bob', 20)
    done = ann.pay(bob, amount)
    return done, ann.balance + bob.balance
