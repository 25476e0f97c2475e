// npm run kills [-- --kind KIND ...]: kills the server in the middle of writes, or with `--kind registration` registrations;
// the two programs say what else they take.
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { kind: { type: 'string' } }, strict: false })
await import(values.kind === 'registration' ? './registration-kills.mjs' : './server-kills.mjs')
