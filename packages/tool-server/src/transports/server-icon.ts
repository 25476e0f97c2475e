import type { Icon } from '@modelcontextprotocol/server'

/** What clients may show beside the server's name: a drop between the bounds of a range, readable on light and dark. */
export const serverIcon: Icon = {
  src: `data:image/svg+xml;base64,${btoa(
    '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><path d="M4 4v16M20 4v16" stroke="#889" stroke-width="2"/>' +
      '<path d="M12 4c3 4 5 6 5 9a5 5 0 0 1-10 0c0-3 2-5 5-9z" fill="#28c"/></svg>',
  )}`,
  mimeType: 'image/svg+xml',
  sizes: ['any'],
}
