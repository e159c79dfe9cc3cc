package suggest

// Message is a message about an unknown name. Its end, which names what is known, is only composed when the message is
// shown: a search through thousands of names for each of thousands of unknown ones would take longer than all else.
type Message struct {
	Problem string        // the message without its end
	Names   int           // how many names are searched for the end
	End     func() string // finds the end, or is nil if there is none
}

// Later returns a message that ends as [DidYouMean] tells, of the given number of known names.
func Later(problem, name string, count int, known func() []string) Message {
	return Message{Problem: problem, Names: count, End: func() string { return DidYouMean(name, known()) }}
}

// String returns the whole message.
func (m Message) String() string {
	if m.End == nil {
		return m.Problem
	}
	return m.Problem + "; " + m.End()
}
