import { Transform } from 'node:stream'
import { parseJson } from './json-body.ts'
import { jsonRpcErrors } from './answers.ts'

/**
 * Passes on the lines that are JSON of an allowed depth and answers the others with a JSON-RPC error, so that nothing of
 * a hostile depth is ever built. A line that outgrows `maxBytes` is passed on as it stands, for the reader to refuse.
 */
export function readableLines(options: {
  readonly maxDepth: number
  readonly maxBytes: number
  /** Takes the answer to a line that is not passed on. */
  readonly refuse: (line: string) => void
}): Transform {
  const { maxDepth, maxBytes, refuse } = options
  let rest: Buffer = Buffer.alloc(0)
  return new Transform({
    readableObjectMode: true,
    transform(chunk: Buffer, _encoding, done) {
      const parts = splitLines(Buffer.concat([rest, chunk]))
      rest = parts.rest
      for (const line of parts.lines) {
        const parsed = line.length > maxBytes ? null : parseJson(line, maxDepth)
        if (parsed === null || parsed.ok) this.push(line)
        else if (line.toString().trim() !== '') refuse(answerTo(parsed.reason))
      }
      if (rest.length > maxBytes) {
        this.push(rest)
        rest = Buffer.alloc(0)
      }
      done()
    },
  })
}

/** Whole lines with their ends, and what follows the last one. */
function splitLines(text: Buffer): { readonly lines: readonly Buffer[]; readonly rest: Buffer } {
  const lines: Buffer[] = []
  let from = 0
  for (let end = text.indexOf(lineFeed); end !== -1; end = text.indexOf(lineFeed, from)) {
    lines.push(text.subarray(from, end + 1))
    from = end + 1
  }
  return { lines, rest: text.subarray(from) }
}

function answerTo(reason: 'malformed' | 'too-deep'): string {
  const error = reason === 'too-deep' ? jsonRpcErrors.tooDeep : jsonRpcErrors.malformed
  return `${JSON.stringify({ jsonrpc: '2.0', error, id: null })}\n`
}

const lineFeed = 0x0a
