/** An answer. What it says itself wins over the headers that the pipeline gives to all; their names are in lower case. */
export type Reply = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: ReplyBody | null
}

type ReplyBody = string | Uint8Array<ArrayBuffer>

/** A body of a type. Made once where it says the same to many, since it counts the bytes. */
export function reply(body: ReplyBody, type: string, { status = 200, headers = {} }: ReplyOptions = {}): Reply {
  const length = String(Buffer.byteLength(body))
  return { status, headers: { ...headers, 'content-type': type, 'content-length': length }, body }
}

export type ReplyOptions = { readonly status?: number; readonly headers?: Readonly<Record<string, string>> }
