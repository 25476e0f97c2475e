import { existsSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'

/** Relative links of pages that lead nowhere: to no file, or to no heading of its page. `pages` are paths below `root`. */
export function deadLinks(root: string, pages: readonly string[]): readonly string[] {
  const anchors = new Map<string, ReadonlySet<string>>()
  const anchorsOf = (file: string) => {
    const known = anchors.get(file) ?? headingAnchors(readFileSync(file, 'utf8'))
    anchors.set(file, known)
    return known
  }
  return pages.flatMap((page) =>
    linksOf(readFileSync(join(root, page), 'utf8')).flatMap((link) => {
      const [path = '', anchor] = link.split('#').map(decodeURIComponent)
      const file = path === '' ? join(root, page) : join(root, dirname(page), path)
      // What stands outside of the repository is on no machine of a reader.
      if (relative(root, file).startsWith('..') || !existsSync(file)) return [`${page}: ${link}`]
      if (anchor === undefined || anchor === '' || statSync(file).isDirectory() || !file.endsWith('.md')) return []
      return anchorsOf(file).has(anchor) ? [] : [`${page}: ${link}`]
    }),
  )
}

/** Targets of links and pictures, of those in this repository. */
export function linksOf(markdown: string): readonly string[] {
  const text = withoutCode(markdown)
  const inline = [...text.matchAll(/\]\(\s*<?([^)\s>]+)>?(?:\s+"[^"]*")?\s*\)/g)]
  const named = [...text.matchAll(/^ {0,3}\[[^\]]+\]:\s*<?(\S+?)>?\s*$/gm)]
  const tags = [...text.matchAll(/\b(?:href|src(?:set)?)="([^"]+)"/g)]
  return [...inline, ...named, ...tags]
    .map(([, target = '']) => target)
    .filter((target) => !/^[a-z][\w+.-]*:/i.test(target))
}

/** As the usual hosts of repositories make them of headings. */
export function headingAnchors(markdown: string): ReadonlySet<string> {
  const seen = new Map<string, number>()
  const anchors = new Set([...markdown.matchAll(/<a (?:id|name)="([^"]+)"/g)].map(([, name = '']) => name))
  for (const [, heading = ''] of withoutFences(markdown).matchAll(/^ {0,3}#{1,6}[ \t]+(.+?)[ \t]*#*$/gm)) {
    const words = heading.replaceAll(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').replaceAll(/[`*]/g, '')
    const slug = words
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(/\s/g, '-')
    const times = seen.get(slug) ?? 0
    seen.set(slug, times + 1)
    anchors.add(times === 0 ? slug : `${slug}-${times}`)
  }
  return anchors
}

function withoutFences(markdown: string): string {
  return markdown.replaceAll(/^([ \t]*)(`{3,}|~{3,})[^\n]*\n[^]*?^[ \t]*\2[ \t]*$/gm, '')
}

function withoutCode(markdown: string): string {
  return withoutFences(markdown).replaceAll(/(`+)[^`]+\1/g, '')
}
