/**
 * The body of an answer, at most `mostBytes` of it and until `signal` fires at the latest. The signal is listened to here as
 * well: the `fetch` of Node 20, set to refuse redirects, may forget it once it has the headers. Rejects with a
 * `RangeError` as soon as the body is longer, and reads no further; with the reason of the signal; or when it breaks off.
 */
export async function boundedBytes(answer: Pick<Response, 'body'>, bounds: BodyBounds): Promise<Uint8Array> {
  const parts: Uint8Array[] = []
  for await (const part of boundedParts(answer, bounds)) parts.push(part)
  return Buffer.concat(parts)
}

/** The same body in parts, for whoever need not hold all of it. */
export async function* boundedParts(
  { body }: Pick<Response, 'body'>,
  { mostBytes, signal }: BodyBounds,
): AsyncGenerator<Uint8Array, void> {
  if (body === null) return
  const reader = body.getReader()
  let isWhole = false
  const stop = () => void reader.cancel(signal.reason).catch(() => undefined)
  signal.addEventListener('abort', stop)
  try {
    signal.throwIfAborted()
    let length = 0
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      length += part.value.length
      if (length > mostBytes) throw new RangeError('too long')
      yield part.value
    }
    isWhole = true
    signal.throwIfAborted()
  } finally {
    signal.removeEventListener('abort', stop)
    if (!isWhole) stop()
  }
}

/** How much of a body is read, and until when. */
export type BodyBounds = { readonly mostBytes: number; readonly signal: AbortSignal }
