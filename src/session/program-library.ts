/** Parsed programs, shared by the sessions that debug the same one: many agents ask about few programs. */
import { LRUCache } from 'lru-cache';
import { type Program, parseProgram } from '../debugger/program.js';

export class ProgramLibrary {
  private readonly programs: LRUCache<string, Program>;

  /** @param maxBytes estimated size above which the least recently used programs are forgotten (open sessions keep theirs) */
  constructor(maxBytes: number) {
    this.programs = new LRUCache({
      maxSize: maxBytes,
      sizeCalculation: ({ bytes }) => bytes,
    });
  }

  /** The program, parsed at first use. @throws ForetraceError as `parseProgram` */
  program(source: string, call: string): Program {
    const text = `${source}\0${call}`;
    const known = this.programs.get(text);
    if (known) return known;
    const program = parseProgram(source, call);
    this.programs.set(text, program);
    return program;
  }
}
