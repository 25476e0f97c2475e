import { ToolError } from '@svc/amm'
import { printable } from './printable.ts'

/** Says on stderr what is wrong with a file, one line a member. Throws what is no fault of the file. */
export function printProblems(file: string, error: unknown): void {
  if (!(error instanceof ToolError)) throw error
  const lines = error.details.map(
    ({ field, message }) => `  ${printable(field === '' ? '(the file)' : `${field}`)}: ${printable(message)}`,
  )
  process.stderr.write([`${file}: ${error.message}`, ...lines, error.suggestion, ''].join('\n'))
}
