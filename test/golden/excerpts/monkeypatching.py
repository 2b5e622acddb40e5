# main(2)
class Walker:
    def gait(self): return 'walk'

class Runner:
    def gait(self): return 'run'

class Robot(Walker):
    def __init__(self, n):
        self.n = n

    def act(self):
        return self.n

    def move(self):
        return 'stay'

class Drone(Robot):
    def act(self): return -self.n

def fly(self):
    self.n += 10
    return self.n

def swim(self): return 'swim %d' % self.n
def rate(n, step=1):
    return n * step

def faster(n, step=1):
    return n * step + 100

Robot.act = fly
def _kind(): return Robot
for key, patch in {'mo' + 've': swim}.items(): setattr(_kind(), key, patch)
Robot.__bases__ = (Runner,)
Robot.__call__ = lambda self, k: self.n - k
type.__setattr__(Robot, '__getattr__', lambda self, name: name.title())
rate.__code__ = faster.__code__
rate.__defaults__ = (3,)
FLEET = [Robot(5), Robot(1)]
odd = FLEET[-1]
odd.__class__ = Drone
vars(odd)['n'] = 7
odd.__dict__.update(paint='red')
Runner.gait.__doc__ = 'quick'
Robot.__qualname__ = 'Machine'
fly.__qualname__ = 'soar'

class Battery:
    def charge(self, amount): self.level = amount
    def drain(self): self.level = 0

def unused_report(robots):
    return ', '.join(str(robot.n) for robot in robots)

def main(k):
    out = []
    for robot in FLEET:
        action = robot.act
        out.append((action(), robot.move(), robot.gait(), robot(k), robot.label))
    return out, rate(k), FLEET[0].gait.__doc__
