package trilith

// MaxWalk is the most facts that one walk returns: a hub of the graph must not make a lookup unbounded.
const MaxWalk = 500

// GraphReport says how far the graph of a tenant agrees with its facts, if the graph is stored beside them.
type GraphReport struct {
	Tenant      string            `json:"tenant"`
	Facts       int               `json:"facts"`    // that the store holds
	Vertices    map[string]int    `json:"vertices"` // of the graph, by label
	Edges       map[string]int    `json:"edges"`    // of the graph, by label
	Differences int               `json:"differences"`
	Examples    []GraphDifference `json:"examples,omitempty"` // the first of them, at most [MaxGraphExamples]
}

// MaxGraphExamples is how many differences a [GraphReport] names.
const MaxGraphExamples = 100

// GraphDifference is an edge or a vertex about which the graph and the facts disagree.
type GraphDifference struct {
	Label   string `json:"label"`
	ID      string `json:"id"`      // of the memory of the edge, or of the vertex
	Problem string `json:"problem"` // missing, extra or different in the graph
}
