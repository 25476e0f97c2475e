import type { Work, WorkCaller, Workers, WorkKind } from '../ports.ts'
import { compute, type WorkRequest } from './compute.ts'

/**
 * Work done in the turn that asks for it, where there are no threads. Nothing ends it: how much of it there is at most, the inputs of the tools
 * bound, and a clock may stand still meanwhile. Pictures are not drawn.
 */
export function createInlineWorkers(): Workers {
  return Object.freeze({
    async run<Kind extends WorkKind>(kind: Kind, input: Work[Kind]['input'], { onProgress }: WorkCaller) {
      const request = { kind, input } as WorkRequest
      if (request.kind === 'draw') throw new TypeError('Pictures are drawn by threads.')
      const between = (done: number, of: number) => {
        if (done > 0) onProgress?.(done, of)
      }
      return compute(request, between) as Work[Kind]['output']
    },
  })
}
