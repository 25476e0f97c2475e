import { createHash } from 'node:crypto'
import { html } from 'hono/html'
import { clientSource } from './client-source.ts'
import { PageDocument } from './page-document.tsx'
import { pageStyle } from './page-style.ts'
import type { PageView } from './view.ts'

/** Makes what renders the page: one document with one style and one script, both named by their hash in its policy. */
export function claimPage(): (view: PageView) => { readonly page: ReturnType<typeof html>; readonly csp: string } {
  const script = clientSource()
  const csp = [
    "default-src 'none'",
    `style-src '${hashOf(pageStyle)}'`,
    `script-src '${hashOf(script)}'`,
    "connect-src 'self'",
    'img-src data:',
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return (view) => ({ page: html`<!doctype html>${PageDocument({ view, script })}`, csp })
}

function hashOf(text: string): string {
  return `sha256-${createHash('sha256').update(text).digest('base64')}`
}
