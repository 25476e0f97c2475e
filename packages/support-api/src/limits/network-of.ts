/**
 * The range of addresses that counts as one client: the /24 of an IPv4 address, the /64 of an IPv6 address, which is
 * what one subscriber gets. All spellings of an address give the same.
 */
export function networkOf(address: string): string {
  if (address.includes(':')) return `${wordsOf(address).slice(0, 4).join(':')}::/64`
  return `${address.slice(0, address.lastIndexOf('.'))}.0/24`
}

/** The eight words of an IPv6 address in plain hex. The URL parser folds all spellings into one (RFC 5952). */
function wordsOf(address: string): readonly string[] {
  const [head = '', tail] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::')
  const before = head === '' ? [] : head.split(':')
  if (tail === undefined) return before
  const after = tail === '' ? [] : tail.split(':')
  return [...before, ...Array.from({ length: 8 - before.length - after.length }, () => '0'), ...after]
}
