import { policySchema } from './policy-schema.ts'
import * as z from 'zod'
import type { ErrorDetail } from '@svc/amm'
import { nearestName } from '@svc/runtime'

/** What is wrong with a policy file, one line a member, each naming the member and what is accepted there. */
export function policyProblems(error: z.ZodError): readonly PolicyProblem[] {
  return error.issues.flatMap((issue) => problemsOf(issue, []))
}

export type PolicyProblem = ErrorDetail & { readonly field: string }

function problemsOf(issue: z.core.$ZodIssue, above: readonly PropertyKey[]): readonly PolicyProblem[] {
  const path = [...above, ...issue.path]
  if (issue.code === 'unrecognized_keys') return issue.keys.map((key) => unknownMember(path, key))
  if (issue.code === 'invalid_union') {
    // The form that was meant is the one that fails inside, not as a whole.
    const meant = issue.errors.find((form) =>
      form.every((one) => one.path.length > 0 || one.code === 'unrecognized_keys'),
    )
    if (meant !== undefined && meant.length > 0) return meant.flatMap((one) => problemsOf(one, path))
  }
  return [{ field: path.join('.').slice(0, 200), message: messageOf(issue) }]
}

/** Where the schema has no words of its own. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_key') return issue.issues[0]?.message ?? issue.message
  const isOwn = !/^(Invalid|Too) /.test(issue.message)
  if (!isOwn && issue.code === 'invalid_type') return `accepted: ${kinds[issue.expected] ?? issue.expected}`
  if (!isOwn && issue.code === 'invalid_value')
    return `accepted: ${issue.values.map((one) => JSON.stringify(one)).join(' or ')}`
  if (!isOwn && issue.code === 'too_big') return `accepted: at most ${issue.maximum}`
  return issue.message
}

const kinds: Readonly<Record<string, string>> = {
  object: 'an object, { ... }',
  record: 'an object, { ... }',
  array: 'a list, [ ... ]',
  boolean: 'true or false',
  string: 'a text in double quotes',
}

function unknownMember(path: readonly PropertyKey[], key: string): PolicyProblem {
  const accepted = acceptedAt(path)
  const field = [...path, key.slice(0, 100)].join('.')
  const nearest = nearestName(key, accepted)
  const known = accepted.length === 0 ? '' : `; accepted here: ${accepted.join(', ')}`
  const meant = nearest === null ? known : `; did you mean ${nearest}?${known.replace('; a', ' A')}`
  return { field, message: `there is no such member${meant}` }
}

function acceptedAt(path: readonly PropertyKey[]): readonly string[] {
  const under = path.length === 0 ? '' : `${path.join('.')}.`
  const names = policyMembers()
    .filter(({ name }) => name.startsWith(under))
    .map(({ name }) => name.slice(under.length).split('.')[0] ?? '')
  return [...new Set(names)]
}

/**
 * Every member a policy file may have, in its order: dotted name (`<chain id>`, `<pool>` and the like stand for what the
 * operator writes), default as JSON, description.
 */
export function policyMembers(): readonly PolicyMember[] {
  return membersOf(z.toJSONSchema(policySchema, { io: 'input' }), '')
}

type PolicyMember = {
  readonly name: string
  /** As JSON; `null` where there is none, or where the members below have their own. */
  readonly default: string | null
  readonly description: string
}

function membersOf(schema: z.core.JSONSchema.BaseSchema, under: string): readonly PolicyMember[] {
  return Object.entries(schema.properties ?? {}).flatMap(([key, member]) => {
    if (typeof member === 'boolean') return []
    const name = `${under}${key}`
    const inner = member.properties === undefined ? [] : membersOf(member, `${name}.`)
    const fallback = inner.length > 0 || member.default === undefined ? null : JSON.stringify(member.default)
    const own: PolicyMember = { name, default: fallback, description: member.description ?? '' }
    return [own].concat(inner, entriesOf(member, name))
  })
}

/** Members of what stands under keys that the operator chooses. */
function entriesOf(
  { additionalProperties: entry }: z.core.JSONSchema.BaseSchema,
  name: string,
): readonly PolicyMember[] {
  if (typeof entry !== 'object') return []
  const under = `${name}.<${keyNames[name] ?? 'chain id'}>`
  return [...membersOf(entry, `${under}.`), ...entriesOf(entry, under)]
}

const keyNames: Readonly<Record<string, string>> = {
  operators: 'name',
  principals: 'principal id',
  'valueRules.tools': 'tool',
  'valueRules.pools.<chain id>': 'pool',
  'priceSources.<chain id>': 'token',
}
