# Debug: settle([('ann', 50), ('bob', 20)], 30)
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


def settle(people, amount):
    accounts = []
    for owner, balance in people:
        accounts.append(Account(owner, balance))
    first, second = accounts
    done = first.pay(second, amount)
    return done, first.balance + second.balance
