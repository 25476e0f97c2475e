import { isRecord } from './host-bridge.ts'

/** A tool's result as the host passes it on: an answer, or why there is none. */
export type ReadResult = {
  readonly problem: Problem | null
  /** What can be shown; beside a problem the part of the answer that was there in time. */
  readonly answer: Readonly<Record<string, unknown>> | null
  /** What the server drew of the answer. */
  readonly drawing: unknown
}

export type Problem = {
  readonly code: string | null
  readonly message: string
  /** What to do about it. */
  readonly fix: string | null
  /** The members of the input that are at fault, or other facts. */
  readonly details: readonly string[]
}

export function readResult(result: Readonly<Record<string, unknown>>): ReadResult {
  const meta = isRecord(result['_meta']) ? result['_meta'] : {}
  if (result['isError'] === true) return ofFailure(meta['svc/error'], textOf(result['content']))
  const { structuredContent } = result
  const answer = isRecord(structuredContent) ? structuredContent : parsed(textOf(result['content']))
  return { problem: null, answer, drawing: meta['svc/drawing'] }
}

/** The envelope travels in `_meta` and as text: a host may pass on only one of them. */
function ofFailure(envelope: unknown, text: string): ReadResult {
  const said = isRecord(envelope) ? envelope : parsed(text)?.['error']
  const { code, message, suggestion, details } = isRecord(said) ? said : {}
  const facts = Array.isArray(details) ? details.filter(isRecord) : []
  const problem = {
    code: typeof code === 'string' ? code : null,
    message: typeof message === 'string' ? message : text === '' ? 'The tool failed and did not say why.' : text,
    fix: typeof suggestion === 'string' ? suggestion : null,
    details: facts.map(({ field, message: fact }) =>
      [field, fact].filter((word) => typeof word === 'string').join(': '),
    ),
  }
  const inTime = facts.find(({ analytic }) => isRecord(analytic))?.['analytic']
  return { problem, answer: isRecord(inTime) ? inTime : null, drawing: undefined }
}

function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content.filter(isRecord) : []
  return blocks.flatMap(({ type, text }) => (type === 'text' && typeof text === 'string' ? [text] : [])).join('\n')
}

function parsed(text: string): Readonly<Record<string, unknown>> | null {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : null
  } catch {
    return null
  }
}
