/**
 * Where a text stops being JSON and what was due there, for whoever wrote it by hand: "line 3, column 14: expected a comma
 * or }, found d". Lines and columns count from 1. For a text that JSON.parse refuses.
 */
export function jsonFault(text: string): string {
  try {
    const end = skipBlanks(text, readValue(text, skipBlanks(text, 0), 0))
    if (end < text.length) throw new Fault(end, 'the end of the file')
  } catch (fault) {
    if (!(fault instanceof Fault)) throw fault
    const before = text.slice(0, fault.at).split('\n')
    const column = (before.at(-1)?.length ?? 0) + 1
    return `line ${before.length}, column ${column}: expected ${fault.expected}, found ${nameOf(text, fault.at)}`
  }
  return 'not JSON'
}

class Fault extends Error {
  override readonly name = 'Fault'
  readonly at: number
  readonly expected: string

  constructor(at: number, expected: string) {
    super(expected)
    this.at = at
    this.expected = expected
  }
}

/** Each reader gets where its part begins and says where it ends. */
function readValue(text: string, at: number, depth: number): number {
  if (depth > maxDepth) throw new Fault(at, `at most ${maxDepth} levels`)
  if (text[at] === '{') return readList(text, at, { close: '}', readItem: readMember }, depth)
  if (text[at] === '[') return readList(text, at, { close: ']', readItem: readValue }, depth)
  if (text[at] === '"') return readText(text, at)
  const end = match(scalar, text, at)
  if (end === null) throw new Fault(at, 'a value')
  return end
}

function readList(text: string, open: number, { close, readItem }: List, depth: number): number {
  let at = skipBlanks(text, open + 1)
  if (text[at] === close) return at + 1
  for (;;) {
    at = skipBlanks(text, readItem(text, at, depth + 1))
    if (text[at] === close) return at + 1
    if (text[at] !== ',') throw new Fault(at, `a comma or ${close}`)
    at = skipBlanks(text, at + 1)
  }
}

type List = { readonly close: string; readonly readItem: typeof readValue }

function readMember(text: string, at: number, depth: number): number {
  if (text[at] !== '"') throw new Fault(at, 'a name in double quotes')
  const colon = skipBlanks(text, readText(text, at))
  if (text[colon] !== ':') throw new Fault(colon, 'a colon')
  return readValue(text, skipBlanks(text, colon + 1), depth)
}

function readText(text: string, at: number): number {
  const end = match(quoted, text, at) ?? at
  if (end === at || text[end] !== '"')
    throw new Fault(end, end < text.length ? 'the rest of a text in double quotes' : '"')
  return end + 1
}

function skipBlanks(text: string, at: number): number {
  return match(blanks, text, at) ?? at
}

/** Where a match that begins at `at` ends. */
function match(pattern: RegExp, text: string, at: number): number | null {
  const found = new RegExp(pattern, 'y')
  found.lastIndex = at
  return found.test(text) ? found.lastIndex : null
}

const maxDepth = 200
const blanks = /[ \t\r\n]*/
/** A text up to its closing quote, or up to what may not stand in one. */
const quoted = /"(?:[ !#-[\]-\uffff]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/
const scalar = /(?:true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.+-])/

function nameOf(text: string, at: number): string {
  const code = text.codePointAt(at)
  if (code === undefined) return 'the end of the file'
  if (code === 0xfeff) return 'a byte order mark'
  if (code === 0x0a || code === 0x0d) return 'the end of the line'
  const found = String.fromCodePoint(code)
  return /^[!-~]$/.test(found) ? found : `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/**
 * Where a text that is JSON names a member twice in one object: "line 3, column 2: limitsUsd stands twice". `null` where none does. Of
 * two, JSON.parse takes the last without a word, while a person reads the first.
 */
export function repeatedMember(text: string): string | null {
  const open: (Set<string> | null)[] = []
  for (const { 0: token, 1: name, index } of text.matchAll(tokens)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : null)
    else if (token === '}' || token === ']') open.pop()
    else if (name !== undefined) {
      const names = open.at(-1)
      const member = String(JSON.parse(name))
      if (names?.has(member) === true) return `${placeOf(text, index)}: ${member} stands twice`
      names?.add(member)
    }
  }
  return null
}

/** A name with its colon, any other text, and what opens and closes. */
const tokens = /("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}[\]]/g

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at).split('\n')
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

/** Whether a value is an object with members: neither `null` nor a list. */
export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Whether a host name or an address is this machine's own: `localhost`, `127.0.0.0/8` or `::1`, without brackets or port. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || /^127(\.\d{1,3}){3}$/.test(host)
}

/** Whether a text is a UUID as this product gives them: in lower case, with its hyphens. */
export function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(text)
}
