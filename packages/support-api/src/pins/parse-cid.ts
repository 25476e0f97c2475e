/**
 * What a content identifier says, or `null` for what is none: version 0 in base58 (`Qm...`), version 1 in base32. Bytes
 * that stand in the identifier itself (an identity hash) are given back. Source: multiformats/cid, "Decoding Algorithm".
 */
export function parseCid(text: string): Cid | null {
  if (/^Qm[1-9A-HJ-NP-Za-km-z]{44}$/.test(text)) return { inline: null }
  if (!/^b[a-z2-7]{4,200}$/.test(text)) return null
  const bytes = fromBase32(text.slice(1))
  if (bytes === null) return null
  const rest = { bytes, at: 0 }
  const [version, codec, hash, length] = [varint(rest), varint(rest), varint(rest), varint(rest)]
  if (version !== 1 || codec === null || hash === null || length !== bytes.length - rest.at) return null
  if (hash === sha256 && length !== 32) return null
  return { inline: hash === identity ? bytes.subarray(rest.at) : null }
}

export type Cid = { readonly inline: Uint8Array | null }

const identity = 0x00
const sha256 = 0x12

/** RFC 4648 base32, lower case, without padding; `null` when bits are left over that are not zero. */
function fromBase32(text: string): Uint8Array | null {
  const bytes: number[] = []
  let held = 0
  let bits = 0
  for (const letter of text) {
    held = (held << 5) | alphabet.indexOf(letter)
    bits += 5
    if (bits >= 8) {
      bits -= 8
      bytes.push((held >> bits) & 255)
      held &= (1 << bits) - 1
    }
  }
  return bits < 5 && held === 0 ? Uint8Array.from(bytes) : null
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567'

/** An unsigned varint (multiformats) of at most four bytes. */
function varint(from: { readonly bytes: Uint8Array; at: number }): number | null {
  let value = 0
  for (let shift = 0; shift < 28; shift += 7) {
    const byte = from.bytes[from.at]
    if (byte === undefined) return null
    from.at += 1
    value |= (byte & 127) << shift
    if (byte < 128) return value
  }
  return null
}
