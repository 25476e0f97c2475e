// npm run kills [-- --kind KIND ...]: kills the server in the middle of writes, with `--kind registration` registrations, or with
// `--kind takeover` one of two servers, which the other takes over from; the programs say what else they take.
import { parseArgs } from 'node:util'

const { values } = parseArgs({ options: { kind: { type: 'string' } }, strict: false })
const programs = { registration: './registration-kills.mjs', takeover: './takeover-kills.mjs' }
await import(programs[values.kind] ?? './server-kills.mjs')
