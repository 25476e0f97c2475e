import type { RequestHandler } from 'msw'

/** Handlers to spread into `createTestServer`, and beside them the hold on what they remember. */
export type HandlerSet<Controls> = readonly RequestHandler[] & Controls

export function handlerSet<Controls extends object>(
  handlers: readonly RequestHandler[],
  controls: Controls,
): HandlerSet<Controls> {
  return Object.assign([...handlers], controls)
}

/** Rules in order; the first that fits what is asked and is not used up applies. */
export function createFaultRules<Rule extends FaultRule>(first: readonly Rule[] = []): FaultRules<Rule> {
  const counted = (faults: readonly Rule[]) =>
    faults.map((rule) => ({ rule, left: rule.times ?? Number.POSITIVE_INFINITY }))
  let rules = counted(first)
  return {
    set: (faults) => {
      rules = counted(faults)
    },
    take: (method) => {
      const fitting = rules.find(({ rule, left }) => left > 0 && (rule.methods?.includes(method) ?? true))
      if (fitting === undefined) return null
      fitting.left -= 1
      return fitting.rule
    },
  }
}

type FaultRule = {
  /** What it is for; everything without. */
  readonly methods?: readonly string[]
  /** How often; until the faults are set anew without. */
  readonly times?: number
}

export type FaultRules<Rule> = {
  readonly set: (faults: readonly Rule[]) => void
  readonly take: (method: string) => Rule | null
}
