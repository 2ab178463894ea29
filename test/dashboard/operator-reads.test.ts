// The stories of one file share one stack and one browser.
import './operator-books.stories.ts'
import './security.stories.ts'
