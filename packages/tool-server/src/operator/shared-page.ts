// What the approval page of `svc approvals page` and the operator page have in common.
export { outcome } from './outcome.ts'
export { html, type Html, htmlText } from './html.ts'
export { listView } from './operations-view.ts'
export { pageCss } from './page-css.ts'
export { makePageLink, pageLinkName } from './page-link.ts'
export { describeOne, moreText, type OperationList, readList } from './read-list.ts'
