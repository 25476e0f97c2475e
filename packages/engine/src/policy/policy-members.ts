import * as z from 'zod'
import { policySchema } from './policy-schema.ts'

/**
 * Every member a policy file may have, in its order: dotted name (`<chain id>`, `<pool>` and the like stand for what the
 * operator writes), default as JSON, description.
 */
export function policyMembers(): readonly PolicyMember[] {
  return membersOf(z.toJSONSchema(policySchema, { io: 'input' }), '')
}

export type PolicyMember = {
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
  principals: 'principal id',
  'valueRules.tools': 'tool',
  'valueRules.pools.<chain id>': 'pool',
  'priceSources.<chain id>': 'token',
}
