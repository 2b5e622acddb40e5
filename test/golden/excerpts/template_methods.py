# main(4)
class Base:
    def run(self, n):
        self.prepare()
        n = self.step(n)
        return self.finish(n)
    def prepare(self): self.trail = []
    def step(self, n): raise NotImplementedError
    def finish(self, n): return n, self.trail

class Logs:
    def note(self, text): self.trail.append(self.prefix + text)
    prefix = 'log '

class Timed:
    def step(self, n):
        self.note('timed')
        return super().step(n + 1)

class Twice:
    def step(self, n):
        self.note('twice')
        return n * 2
    def finish(self, n): return super().finish(n + self.bonus)

class Job(Timed, Twice, Logs, Base):
    bonus = 100

class Loud(Job):
    prefix = 'LOUD '
    def finish(self, n): return super(Twice, self).finish(-n)

class Lonely(Logs):
    def step(self, n): return None
    def other(self): return self.prefix

def enlist(*jobs):
    JOBS.extend(jobs)

def _jobs():
    class Nested(Loud):
        def prepare(self):
            Base.prepare(self)
            self.prefix = '> '
    enlist(Job(), Loud(), Nested())
JOBS = []
_jobs()
spare, *_, favourite = JOBS
favourite.bonus = 7
del JOBS[1]
spare.step = lambda n: n - 1

class Report:
    def header(self): return '==='
    def footer(self): return '---'
def unused_jobs():
    return [job for job in JOBS if isinstance(job, Lonely)]

def main(n):
    results = [job.run(n) for job in JOBS]
    return results
