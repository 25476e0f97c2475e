import * as z from 'zod'
import { policySchema } from './policy-schema.ts'

/** The JSON Schema (draft 2020-12) of `policy.json`, as it is published. What it cannot say, `svc policy check` does. */
export function policyJsonSchema(): Readonly<Record<string, unknown>> {
  const { $schema, ...schema } = z.toJSONSchema(policySchema, { io: 'input' })
  return {
    $schema,
    title: 'policy.json',
    description:
      'What the agent may do with the wallet. Limits that contradict each other, checksums of addresses and grants that would loosen something are refused as well when the file is read.',
    ...schema,
  }
}
