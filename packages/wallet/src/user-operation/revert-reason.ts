import { BaseError, decodeErrorResult, isHex, size, type Hex } from 'viem'

/** What a contract said when it reverted, for people: its sentence, or else the bytes of its error. */
export function revertReason(data: Hex): string | null {
  if (data === '0x') return null
  try {
    const { errorName, args } = decodeErrorResult({ data })
    return errorName === 'Error' ? String(args[0]) : `${errorName}(${args.join(', ')})`
  } catch {
    return size(data) > 36 ? `${data.slice(0, 74)}...` : data
  }
}

/** The bytes of a revert in an error and its causes. */
export function revertDataIn(error: unknown): Hex | null {
  if (!(error instanceof BaseError)) return null
  const found = error.walk((cause) => hasData(cause))
  return hasData(found) ? found.data : null
}

function hasData(value: unknown): value is { readonly data: Hex } {
  return typeof value === 'object' && value !== null && 'data' in value && isHex(value.data)
}
