/**
 * The body of an answer, at most `mostBytes` of it and until `signal` fires at the latest. The signal is listened to here as
 * well: the `fetch` of Node 20, set to refuse redirects, may forget it once it has the headers. Rejects with a
 * `RangeError` as soon as the body is longer, and reads no further; with the reason of the signal; or when it breaks off.
 */
export async function boundedBytes(
  { body }: Pick<Response, 'body'>,
  { mostBytes, signal }: { readonly mostBytes: number; readonly signal: AbortSignal },
): Promise<Uint8Array> {
  if (body === null) return new Uint8Array()
  const reader = body.getReader()
  const stop = () => void reader.cancel(signal.reason).catch(() => undefined)
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    const chunks: Uint8Array[] = []
    let length = 0
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      length += part.value.length
      if (length > mostBytes) throw new RangeError('too long')
      chunks.push(part.value)
    }
    signal.throwIfAborted()
    return Buffer.concat(chunks)
  } finally {
    signal.removeEventListener('abort', stop)
    stop()
  }
}
