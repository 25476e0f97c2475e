/** Tells what is met again at every look once in a term. */
export function tellOnce({ reported }: { readonly reported: Set<string> }, what: string, tell: () => void): void {
  if (reported.has(what)) return
  reported.add(what)
  tell()
}
