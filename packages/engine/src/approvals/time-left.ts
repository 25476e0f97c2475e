/** How long until a time, for a person: "9 min 5 s", "2 h 10 min", "over". Both in Unix milliseconds. */
export function timeLeft(until: number, now: number): string {
  const seconds = Math.floor((until - now) / 1_000)
  if (seconds < 0) return 'over'
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  const hours = Math.floor(minutes / 60)
  if (hours < 48) return `${hours} h ${minutes % 60} min`
  return `${Math.floor(hours / 24)} days ${hours % 24} h`
}
