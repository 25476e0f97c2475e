/** The body of an answer. Rejects with a `RangeError` as soon as it is longer than `mostBytes`, and reads no further. */
export async function boundedBytes(answer: Response, mostBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let length = 0
  for await (const chunk of answer.body ?? []) {
    length += chunk.length
    if (length > mostBytes) throw new RangeError('too long')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
