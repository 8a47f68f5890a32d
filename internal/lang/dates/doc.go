// Package dates finds expressions of time in English and German text and places them on the calendar.
//
// "last Tuesday" has a meaning only together with the day on which it was said. [Find] takes that reference time and
// gives every expression as a span of bytes and an interval, so that a text can be stored, found and ranked by the time
// that it refers to. Both languages share one grammar, which works on the roles of words; the words are data, a table
// per language.
//
// # Intervals
//
// All times are in the zone of the reference, which is that of the speaker: at half past midnight in Shanghai
// "yesterday" is not the one of UTC. An expression means the whole of the smallest period that it names: a
// day, a month, the hour of "at 5 pm", the minute of "17:30".
//
//   - Weeks begin on Monday (ISO 8601). "last", "this" and "next" count calendar weeks, months, quarters, years and
//     weekends.
//   - "last Friday" is the latest Friday before the reference day and "next Friday" the first one after it; "this
//     Friday" is the one in the reference week. A Friday without such a word is the last one if a word of its sentence
//     indicates the past ("On Friday I went …"), the next one otherwise.
//   - A day, month, season, quarter or holiday without a year is the latest that has begun if its sentence is about
//     the past, the first that has not ended if it is about the future, otherwise the nearest one; of two equally
//     near, the earlier.
//   - "three weeks ago" is the calendar week that contains that day, and likewise for months and years; a vague count
//     ("a few weeks ago", "about three weeks ago") extends it by one unit on both sides.
//   - Seasons are those of the northern hemisphere and meteorological, three whole months each; a winter belongs to the
//     year in which it begins.
//   - The beginning, middle and end of a period are its thirds: 1-10, 11-20 and the rest of a month, four months of a
//     year, Monday and Tuesday, Wednesday and Thursday, and the rest of a week.
//   - Morning is 6 to 12, noon as a part of the day 11 to 14, afternoon 12 to 18, evening 18 to 24, night 18 to 6.
//     Midnight is the end of its day. A clock time without a day is on the reference day; "at 5" is 5:00 unless a
//     part of the day says otherwise.
//   - 6/3/2025 is June 3rd in English, as in the United States, and 6 March in German; if only one reading exists, it
//     counts. Years of two digits are 1970 to 2069, and only in a full date with dots or slashes.
//   - Christmas is 25 December and Easter its Sunday; Weihnachten is 24 to 26 December and Ostern the Sunday and
//     Monday.
//
// # Not expressions
//
// A month without a day needs a preposition ("in May") or a companion ("early May", "May 2025", "from May to July"),
// and so does a year; impossible times ("31 June", "25:00") match nothing. Numbers that belong to something else
// (versions, telephone numbers, prices, percentages) are ignored, as are names such as "Sunday Times" and "Black
// Friday".
package dates
