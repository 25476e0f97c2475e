/** A bar of as many signs as there are parts: how much of something is used, in plain ASCII. More than all is shown as all. */
export function gauge(used: number, of: number, width = 20): string {
  const share = of > 0 ? Math.min(1, Math.max(0, used / of)) : 0
  // Whatever is used shows, and what is not used up does not look as if it were.
  const filled = share === 0 ? 0 : share === 1 ? width : Math.min(width - 1, Math.max(1, Math.round(share * width)))
  return `[${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${`${Math.floor(share * 100)}`.padStart(3)} %`
}
