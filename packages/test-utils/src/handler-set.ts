import { type RequestHandler, HttpResponse } from 'msw'

/** Handlers to spread into `createTestServer`, and beside them the hold on what they remember. */
export type HandlerSet<Controls> = readonly RequestHandler[] & Controls

export function handlerSet<Controls extends object>(
  handlers: readonly RequestHandler[],
  controls: Controls,
): HandlerSet<Controls> {
  return Object.assign([...handlers], controls)
}

/**
 * Holds what a caller in JavaScript gave against what a function takes. Throws `TypeError` naming the first option that is
 * missing or wrong, and what stands there rightly.
 */
export function requireOptions(of: string, options: unknown, checks: Readonly<Record<string, OptionCheck>>): void {
  if (typeof options !== 'object' || options === null) {
    const example = Object.entries(checks).map(([name, { example: value }]) => `${name}: ${value}`)
    throw new TypeError(`${of} takes an object of options, such as ${of}({ ${example.join(', ')} }).`)
  }
  for (const [name, { accepted, example, isGood }] of Object.entries(checks)) {
    const value: unknown = Reflect.get(options, name)
    if (isGood(value)) continue
    const how = value === undefined ? 'is missing' : 'is wrong'
    throw new TypeError(`The option ${name} of ${of} ${how}: give ${accepted}, such as ${name}: ${example}.`)
  }
}

type OptionCheck = {
  readonly accepted: string
  readonly example: string
  readonly isGood: (value: unknown) => boolean
}

export const baseUrl = (example: string): OptionCheck => ({
  accepted: 'an http or https URL as text',
  example: `'${example}'`,
  isGood: (value) => typeof value === 'string' && URL.canParse(value) && /^https?:/i.test(value),
})

export const chainId: OptionCheck = {
  accepted: 'the id of a chain as a number',
  example: '84532',
  isGood: (value) => typeof value === 'number' && Number.isSafeInteger(value) && value > 0,
}

export const optionsOf = (other: string): OptionCheck => ({
  accepted: `the options of ${other}`,
  example: '{ ... }',
  isGood: (value) => typeof value === 'object' && value !== null,
})

/**
 * Rules in order; the first that fits what is asked and is not used up applies. Throws `TypeError` for a fault that is not
 * among the `known` ones, also where it is set later. `completed` adds to a rule what it leaves out.
 */
export function createFaultRules<Rule extends FaultRule>(
  known: Readonly<Record<Rule['fault'], true>>,
  first: readonly Rule[] = [],
  completed: (rule: Rule) => Rule = (rule) => rule,
): FaultRules<Rule> {
  const counted = (faults: readonly Rule[]) => {
    requireFaults(known, faults)
    return faults.map(completed).map((rule) => ({ rule, left: rule.times ?? Number.POSITIVE_INFINITY }))
  }
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

/** What callers in JavaScript misspell would never happen, and their test would pass. */
function requireFaults(known: object, faults: unknown): void {
  const names = Object.keys(known)
  if (!Array.isArray(faults)) throw new TypeError(`Faults are a list, such as [{ fault: '${names[0]}' }].`)
  for (const [index, rule] of faults.entries()) {
    const fault: unknown = typeof rule === 'object' && rule !== null ? Reflect.get(rule, 'fault') : undefined
    if (typeof fault === 'string' && Object.hasOwn(known, fault)) continue
    throw new TypeError(`Fault ${index + 1} of the list is not known: fault is one of ${names.join(', ')}.`)
  }
}

type FaultRule = {
  readonly fault: string
  /** What it is for; everything without. */
  readonly methods?: readonly string[]
  /** How often; until the faults are set anew without. */
  readonly times?: number
}

export type FaultRules<Rule> = {
  readonly set: (faults: readonly Rule[]) => void
  readonly take: (method: string) => Rule | null
}

/** An error of the support API: `application/problem+json` with the members of its envelope. */
export function problem(status: number, { code, message, details = {}, retryAfterSeconds }: Problem): Response {
  const retryable = status === 429 || status === 503
  const body = {
    type: 'about:blank',
    title: code,
    status,
    code,
    message,
    retryable,
    suggestion: retryable ? 'Try again later.' : 'Correct the request.',
    details,
  }
  const headers = {
    'content-type': 'application/problem+json',
    ...(retryAfterSeconds === undefined ? {} : { 'retry-after': `${retryAfterSeconds}` }),
  }
  return new HttpResponse(JSON.stringify(body), { status, headers })
}

export type Problem = {
  readonly code: string
  readonly message: string
  readonly details?: object
  readonly retryAfterSeconds?: number
}

/** The members of a request's body; none of them when it is no JSON object. */
export async function readJson(request: Request): Promise<Readonly<Record<string, unknown>>> {
  const value: unknown = await request.json().catch(() => null)
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
}
