import type * as z from 'zod'
import { ApiError, type ErrorDetail } from '../errors.ts'

/** The body as its strict schema has it. Throws `VALIDATION_FAILED`, which names every field that is off. */
export function parseBody<Schema extends z.ZodType>(schema: Schema, body: unknown): z.output<Schema> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw new ApiError('VALIDATION_FAILED', 'The request is not valid.', {
    details: parsed.error.issues.flatMap(detailsOf),
  })
}

function detailsOf(issue: z.core.$ZodIssue): readonly ErrorDetail[] {
  const path = issue.path.map(String)
  if (issue.code === 'unrecognized_keys') {
    return issue.keys.map((key) => ({ field: [...path, key.slice(0, 64)].join('.'), message: 'The field is unknown.' }))
  }
  const field = path.length === 0 ? {} : { field: path.join('.') }
  const accepted = issue.message.replace(/^Invalid input: expected (.*), received .*$/, '$1')
  return [{ ...field, message: 'The value is not valid.', accepted }]
}

/**
 * What a strict reader has against a JSON text that parses: a name that stands twice in an object, where readers differ
 * in which one they believe, or nesting beyond `maxDepth`. `null` when there is nothing.
 */
export function strictJsonFault(json: string, maxDepth: number): string | null {
  /** Names seen in each open object; `null` for an open list. */
  const open: (Set<string> | null)[] = []
  for (const [token, text] of json.matchAll(tokens)) {
    if (token === '}' || token === ']') open.pop()
    else if (token === '{' || token === '[') {
      open.push(token === '{' ? new Set() : null)
      if (open.length > maxDepth) return `The body is nested deeper than ${maxDepth} levels.`
    } else if (text !== undefined && token !== text) {
      const name = String(JSON.parse(text))
      const names = open.at(-1)
      if (names?.has(name)) return `The name ${JSON.stringify(name.slice(0, 64))} stands twice in one object.`
      names?.add(name)
    }
  }
  return null
}

/** Brackets; and texts, which are names where a colon follows. */
const tokens = /("(?:[^"\\]|\\.)*")(?:\s*:)?|[{}[\]]/g
