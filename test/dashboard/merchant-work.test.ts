// The stories of one file share one stack and one browser.
import './home.stories.ts'
import './developers.stories.ts'
