import { ToolError } from '@svc/amm'
import { type Refusal, throwFirst, type Weighed } from '../call/refusal.ts'
import type { ExecutionContext } from './engine.ts'

/**
 * Runs the steps of a run of the pipeline by name: logs how long each took, has whoever observes it run it, stops before a step when the caller
 * has left and nothing is signed, and weighs what the policy has against the intent. A refusal ends a real call; a dry run collects it, once.
 */
export function stepsOf({ engine, call, chain }: ExecutionContext): {
  readonly refusals: readonly Refusal[]
  readonly step: <Value>(name: string, work: () => Value | Promise<Value>) => Promise<Value>
} {
  const refusals: Refusal[] = []
  let signing = false
  const { tool, requestId, dryRun } = call
  return {
    refusals,
    async step(name, work) {
      signing ||= name === 'sign'
      if (call.signal.aborted && !signing)
        throw new ToolError('CANCELLED', 'The caller left before anything was signed.')
      const { observer, log } = engine
      const run = async () => {
        const startedAt = performance.now()
        const value = await work()
        log.debug('road.step', { requestId, step: name, ms: performance.now() - startedAt })
        if (!isWeighed(value)) return value
        if (!dryRun) throwFirst(value.refusals)
        refusals.push(...value.refusals.filter(({ message }) => refusals.every((one) => one.message !== message)))
        return value
      }
      if (observer?.stage === undefined) return run()
      return observer.stage({ stage: name, tool, requestId, chainId: chain.id, dryRun }, run)
    },
  }
}

function isWeighed(value: unknown): value is Weighed {
  return typeof value === 'object' && value !== null && 'refusals' in value && Array.isArray(value.refusals)
}
