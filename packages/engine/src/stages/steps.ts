import { ToolError } from '@svc/amm'
import type { ExecutionContext } from '../context/engine.ts'
import { type Refusal, throwFirst, type Weighed } from '../context/refusal.ts'

/**
 * Runs the steps of a run of the pipeline by name: logs how long each took, stops before a step when the caller has left and nothing is
 * signed, and weighs what the policy has against the intent. A refusal ends a real call; a dry run collects it, once.
 */
export function stepsOf({ engine, call }: ExecutionContext): {
  readonly refusals: readonly Refusal[]
  readonly step: <Value>(name: string, work: () => Value | Promise<Value>) => Promise<Value>
} {
  const refusals: Refusal[] = []
  let signing = false
  return {
    refusals,
    async step(name, work) {
      signing ||= name === 'sign'
      if (call.signal.aborted && !signing)
        throw new ToolError('CANCELLED', 'The caller left before anything was signed.')
      const startedAt = performance.now()
      const value = await work()
      engine.log.debug('road.step', { requestId: call.requestId, step: name, ms: performance.now() - startedAt })
      if (isWeighed(value)) {
        if (!call.dryRun) throwFirst(value.refusals)
        refusals.push(...value.refusals.filter(({ message }) => refusals.every((one) => one.message !== message)))
      }
      return value
    },
  }
}

function isWeighed(value: unknown): value is Weighed {
  return typeof value === 'object' && value !== null && 'refusals' in value && Array.isArray(value.refusals)
}
