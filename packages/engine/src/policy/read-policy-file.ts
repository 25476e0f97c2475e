import { createHash } from 'node:crypto'
import { open } from 'node:fs/promises'
import { basename } from 'node:path'
import { jsonFault, repeatedMember, nearestName } from '@svc/runtime'
import { ToolError, type ErrorDetail } from '@svc/amm'
import { policySchema } from './policy-schema.ts'
import * as z from 'zod'

/**
 * Reads a policy file: its JSON and the SHA-256 of its bytes; `null` where there is none. Refuses a file that others than
 * its owner may write, or that belongs to somebody other than this user or root. Throws `VALIDATION_FAILED`.
 */
export async function readPolicyFile(
  path: string,
  uid: number | undefined = process.getuid?.(),
): Promise<PolicyFile | null> {
  const bytes = await readBytes(path, uid)
  if (bytes === null) return null
  const text = bytes.toString('utf8')
  const written = parsed(text, basename(path))
  const repeated = repeatedMember(text)
  if (repeated !== null) throw unreadable(`A member of the policy file is ambiguous: ${repeated}.`, 'Keep one of them.')
  return { written, sha256: createHash('sha256').update(bytes).digest('hex') }
}

function parsed(text: string, name: string): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw unreadable(`The policy file is not JSON: ${jsonFault(text)}.`, `Correct ${name} there.`, cause)
  }
}

export type PolicyFile = { readonly written: unknown; readonly sha256: string }

/** The facts are those of the very file that is read, whatever takes its name meanwhile. */
async function readBytes(path: string, uid: number | undefined): Promise<Buffer | null> {
  const name = basename(path)
  const own = `Give ${name} to the user of the server, mode 0600.`
  const file = await open(path, 'r').catch((error: unknown) => {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw unreadable('The policy file cannot be read.', own, error)
  })
  if (file === null) return null
  try {
    const facts = await file.stat()
    if (!facts.isFile()) {
      throw unreadable(
        `The policy file is ${facts.isDirectory() ? 'a directory' : 'no plain file'}.`,
        'Put a plain file in its place.',
      )
    }
    if ((facts.mode & 0o022) !== 0) {
      throw unreadable('The policy file may be written by others than its owner.', `Run chmod 600 on ${name}.`)
    }
    if (uid !== undefined && facts.uid !== uid && facts.uid !== 0) {
      throw unreadable('The policy file belongs to another user.', own)
    }
    if (facts.size > maxBytes) {
      throw unreadable(`The policy file has ${facts.size} bytes; at most ${maxBytes} are read.`, `Shorten ${name}.`)
    }
    return await file.readFile()
  } finally {
    await file.close()
  }
}

const maxBytes = 1 << 20

function unreadable(message: string, suggestion: string, cause?: unknown): ToolError {
  return new ToolError('VALIDATION_FAILED', message, { suggestion, cause })
}

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
