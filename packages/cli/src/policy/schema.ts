import { policyJsonSchema } from '@svc/engine/policy'
import { parseFlags } from '../parse-flags.ts'

/** `svc policy schema`: the JSON Schema of policy.json. */
export async function schema(argv: readonly string[]): Promise<number> {
  parseFlags(argv, { values: [] })
  process.stdout.write(`${JSON.stringify(policyJsonSchema(), null, 2)}\n`)
  return 0
}
