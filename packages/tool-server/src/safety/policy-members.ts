import * as z from 'zod'
import { policySchema } from './policy-schema.ts'

/**
 * Every member a policy file may have, in its order: dotted name (`<chain id>`, `<principal id>` and `[]` stand for what
 * the operator writes), default as JSON, description.
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
    const below = member.additionalProperties
    const perKey = typeof below === 'object' && below.properties !== undefined
    const entries = perKey ? membersOf(below, `${name}.<principal id>.`) : []
    const fallback = inner.length > 0 || member.default === undefined ? null : JSON.stringify(member.default)
    const own: PolicyMember = { name, default: fallback, description: member.description ?? '' }
    return [own].concat(inner, entries)
  })
}
