import type { Hex } from 'viem'

/**
 * What Multicall3's `aggregate3` answers: `(bool success, bytes returnData)[]`, laid out as the Contract ABI Specification
 * says. Every read of a chain comes through it, and the general decoder takes more time for one than the node for its
 * answer. Throws `RangeError` for bytes that are cut off, point outside themselves or occur twice.
 */
export function decodeAggregate3(data: Hex): readonly Aggregate3Outcome[] {
  const text = data.slice(2)
  const list = numberAt(text, 0)
  const count = numberAt(text, list)
  const first = list + wordBytes
  // Each element takes three words at least, so a count beyond that is no count.
  if (count * 3 * wordBytes > text.length / 2) throw new RangeError('more elements than bytes')
  let left = text.length
  return Array.from({ length: count }, (_, index) => {
    const tuple = first + numberAt(text, first + index * wordBytes)
    const bytes = tuple + numberAt(text, tuple + wordBytes)
    const start = (bytes + wordBytes) * 2
    const end = start + numberAt(text, bytes) * 2
    if (end > text.length) throw new RangeError('cut off')
    // Else a thousand elements could share one long text, and the work of reading it be done a thousand times.
    left -= end - start
    if (left < 0) throw new RangeError('more bytes than there are')
    return { success: numberAt(text, tuple) !== 0, returnData: `0x${text.slice(start, end)}` }
  })
}

export type Aggregate3Outcome = { readonly success: boolean; readonly returnData: Hex }

const wordBytes = 32

/** A word as a number; offsets, lengths and truth values are small. */
function numberAt(text: string, byte: number): number {
  const word = text.slice(byte * 2, (byte + wordBytes) * 2)
  if (!/^0{56}[0-9a-f]{8}$/i.test(word)) throw new RangeError('not a small number')
  return Number.parseInt(word, 16)
}
