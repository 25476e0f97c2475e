import type { Program } from './program.fixture.ts'

/** The program without the actions that it does as well without, as long as `holds` says so. */
export function shrinkProgram(program: Program, holds: (program: Program) => boolean): Program {
  let kept = program
  for (let at = kept.actions.length - 1; at >= 0; at -= 1) {
    const without = { ...kept, actions: kept.actions.filter((_, index) => index !== at) }
    if (holds(without)) kept = without
  }
  return kept
}
