import type * as z from 'zod'
import { ApiError, type ErrorDetail } from '../api-error.ts'

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
