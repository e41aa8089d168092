// Order management with nothing but Go's standard library, behind nginx with deploy/gateways/nginx.
//
// nginx has asked Portcullis before a request arrives here, so this file checks no token. It listens on loopback, because
// whoever reaches it past nginx can claim to be anybody.
package main

import (
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"sync"
	"time"
)

var (
	decisionURL    = os.Getenv("DECISION_URL") // http://127.0.0.1:8002
	decisionSecret = os.Getenv("DECISION_SECRET")
	asker          = &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{Proxy: nil}}
)

// A refusal is what the caller is told, as a code and a text.
type refusal struct {
	Code int    `json:"code"`
	Msg  string `json:"msg"`
}

func (r refusal) Error() string { return r.Msg }

var (
	noRecord = refusal{404, "There is no such record."}
	invalid  = refusal{400, "The request is incomplete or malformed. Check its fields."}
)

type scope struct {
	Scope       string  `json:"scope"`
	Departments []int64 `json:"departments"`
	UserID      int64   `json:"userId"`
}

// fetchScope asks for the caller's data scope. Whatever is no scope of this user is an error: an answer is never guessed.
func fetchScope(userID int64) (scope, error) {
	request, err := http.NewRequest("GET", fmt.Sprintf("%s/access/v1/scope?userId=%d", decisionURL, userID), nil)
	if err != nil {
		return scope{}, err
	}
	request.Header.Set("Authorization", "Bearer "+decisionSecret)
	response, err := asker.Do(request)
	if err != nil {
		return scope{}, err
	}
	defer response.Body.Close()
	var found scope
	if err := json.NewDecoder(response.Body).Decode(&found); err != nil {
		return scope{}, err
	}
	isKnown := found.Scope == "all" || found.Scope == "departments" || found.Scope == "own"
	if response.StatusCode != 200 || found.UserID != userID || !isKnown {
		return scope{}, errors.New("Portcullis answered with no data scope of this user")
	}
	return found, nil
}

// has says whether a row of this owner and department is in the scope. What is unknown has none.
func (s scope) has(owner, department int64) bool {
	switch s.Scope {
	case "all":
		return true
	case "own":
		return owner == s.UserID
	case "departments":
		for _, one := range s.Departments {
			if one == department {
				return true
			}
		}
	}
	return false
}

type order struct {
	ID         string `json:"id"`
	Customer   string `json:"customer"`
	Amount     int64  `json:"amount"`
	Status     string `json:"status"`
	owner      int64
	department int64
}

// The orders are in memory, because Go's library has no database.
type store struct {
	sync.Mutex
	orders []*order
}

type call struct {
	userID int64
	body   []byte
	id     string
}

func (s *store) list(c call) (any, error) {
	scope, err := fetchScope(c.userID)
	if err != nil {
		return nil, err
	}
	s.Lock()
	defer s.Unlock()
	seen := []order{}
	for _, one := range s.orders {
		if scope.has(one.owner, one.department) {
			seen = append(seen, *one)
		}
	}
	return seen, nil
}

func (s *store) create(c call) (any, error) {
	var body struct {
		Customer     string `json:"customer"`
		Amount       int64  `json:"amount"`
		DepartmentID int64  `json:"departmentId"`
	}
	isWhole := json.Unmarshal(c.body, &body) == nil && body.Customer != "" && len(body.Customer) <= 64
	if !isWhole || body.Amount < 1 || body.Amount > 1_000_000 || body.DepartmentID < 1 {
		return nil, invalid
	}
	scope, err := fetchScope(c.userID)
	if err != nil {
		return nil, err
	}
	// Nobody makes an order that they could not see.
	if !scope.has(c.userID, body.DepartmentID) {
		return nil, noRecord
	}
	id := make([]byte, 16)
	if _, err := rand.Read(id); err != nil {
		return nil, err
	}
	made := order{fmt.Sprintf("%x", id), body.Customer, body.Amount, "open", c.userID, body.DepartmentID}
	s.Lock()
	defer s.Unlock()
	kept := made
	s.orders = append(s.orders, &kept)
	return made, nil
}

func (s *store) cancel(c call) (any, error) {
	scope, err := fetchScope(c.userID)
	if err != nil {
		return nil, err
	}
	s.Lock()
	defer s.Unlock()
	for _, one := range s.orders {
		if one.ID == c.id && one.Status == "open" && scope.has(one.owner, one.department) {
			one.Status = "cancelled"
			return *one, nil
		}
	}
	return nil, noRecord
}

type route struct {
	method string
	path   *regexp.Regexp
	what   string
	handle func(call) (any, error)
}

// only is the value of a header that is there once. None of them, or two, is an error.
func only(header http.Header, name string) (string, error) {
	values := header.Values(name)
	if len(values) != 1 {
		return "", fmt.Errorf("%s came %d times", name, len(values))
	}
	return values[0], nil
}

func handle(routes []route, w http.ResponseWriter, r *http.Request) (any, error) {
	id, err := only(r.Header, "X-Portcullis-User-Id")
	if err != nil {
		return nil, err
	}
	userID, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return nil, err
	}
	username, err := only(r.Header, "X-Portcullis-Username")
	if err != nil {
		return nil, err
	}
	body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 16*1024))
	if err != nil {
		return nil, invalid
	}
	for _, route := range routes {
		match := route.path.FindStringSubmatch(r.URL.Path)
		if match != nil && route.method == r.Method {
			fmt.Printf("%s %s\n", username, route.what)
			return route.handle(call{userID, body, match[len(match)-1]})
		}
	}
	return nil, noRecord
}

func main() {
	orders := &store{}
	routes := []route{
		{"GET", regexp.MustCompile("^/api/v1/orders$"), "lists orders", orders.list},
		{"POST", regexp.MustCompile("^/api/v1/orders$"), "creates an order", orders.create},
		{"POST", regexp.MustCompile("^/api/v1/orders/([^/]+)/cancel$"), "cancels an order", orders.cancel},
	}
	answer := func(w http.ResponseWriter, r *http.Request) {
		data, err := handle(routes, w, r)
		status, reply := 200, any(map[string]any{"code": 200, "msg": "success", "data": data})
		var told refusal
		if errors.As(err, &told) {
			reply = told
		} else if err != nil {
			log.Print(err)
			status, reply = 503, refusal{503, "The service cannot answer right now. Try again shortly."}
		}
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		w.WriteHeader(status)
		json.NewEncoder(w).Encode(reply)
	}
	port := os.Getenv("PORT")
	if port == "" {
		port = "9000"
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("Listening on %d\n", listener.Addr().(*net.TCPAddr).Port)
	// The handler of all paths, and no mux: that one would redirect what it finds unclean.
	log.Fatal(http.Serve(listener, http.HandlerFunc(answer)))
}
