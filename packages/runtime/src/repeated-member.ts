/**
 * Where a text that is JSON names a member twice in one object: "line 3, column 2: limitsUsd stands twice". `null` where none does. Of
 * two, JSON.parse takes the last without a word, while a person reads the first.
 */
export function repeatedMember(text: string): string | null {
  const open: (Set<string> | null)[] = []
  for (const { 0: token, 1: name, index } of text.matchAll(tokens)) {
    if (token === '{' || token === '[') open.push(token === '{' ? new Set() : null)
    else if (token === '}' || token === ']') open.pop()
    else if (name !== undefined) {
      const names = open.at(-1)
      const member = String(JSON.parse(name))
      if (names?.has(member) === true) return `${placeOf(text, index)}: ${member} stands twice`
      names?.add(member)
    }
  }
  return null
}

/** A name with its colon, any other text, and what opens and closes. */
const tokens = /("(?:[^"\\]|\\.)*")\s*:|"(?:[^"\\]|\\.)*"|[{}[\]]/g

function placeOf(text: string, at: number): string {
  const before = text.slice(0, at).split('\n')
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}
