// What the approval page of `svc approvals page` and the operator page have in common.
export { outcome, describeOne, moreText, type OperationList, readList } from './read-list.ts'
export { html, type Html, htmlText, pageCss } from './html.ts'
export { listView } from './operations-view.ts'
export { makePageLink, pageLinkName } from './page-link.ts'
