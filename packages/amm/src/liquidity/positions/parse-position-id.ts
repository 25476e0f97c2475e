import { ToolError } from '../../tool-error.ts'

/** The id of a v3 or v4 position as a number. @throws ToolError `VALIDATION_FAILED` for anything but plain decimal digits. */
export function parsePositionId(text: string, field = 'positionId'): bigint {
  const id = /^(0|[1-9]\d{0,77})$/.test(text) ? BigInt(text) : null
  if (id !== null && id < 2n ** 256n) return id
  throw new ToolError('VALIDATION_FAILED', `${field} is no position id.`, {
    details: [{ field, message: 'not a position id', accepted: 'the decimal token id of the position' }],
  })
}
